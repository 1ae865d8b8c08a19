"""What the tests are played with: a real server, a person, a broken proxy, a scripted model."""
