"""The version of the client, read by the build and sent to the server."""

__version__ = "0.1.0"
