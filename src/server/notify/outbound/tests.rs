use super::*;

const GUARDED: OutboundPolicy = OutboundPolicy { allow_private_targets: false };
const OPEN: OutboundPolicy = OutboundPolicy { allow_private_targets: true };

async fn post(policy: OutboundPolicy, target: &str) -> Outcome {
    let outbound = Outbound::with_timeout(policy, Duration::from_millis(200));
    outbound.post(target, HeaderMap::new(), "{}".to_owned()).await
}

#[tokio::test]
async fn every_spelling_of_an_inner_address_is_refused() {
    for target in [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://0x7f.1/",
        "http://0x7f000001/",
        "http://2130706433/",
        "http://0177.0.0.1/",
        "http://127.0.0.1./",
        "http://\u{ff11}27.0.0.1/",
        "http://%31%32%37.0.0.1/",
        "http://user@127.0.0.1:80/",
        "http://0/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[::127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://[fe80::1]/",
        "https://169.254.169.254/latest/meta-data/",
        "http://10.1.2.3:8080/",
        "http://localhost/",
        "http://LOCALHOST:5432/",
    ] {
        let outcome = post(GUARDED, target).await;
        let Outcome::Refused { reason } = &outcome else { panic!("{target}: {outcome:?}") };
        assert!(reason.starts_with("SSRF blocked"), "{target}: {reason}");
    }
}

#[tokio::test]
async fn only_http_is_spoken() {
    for target in ["ftp://1.1.1.1/", "file:///etc/passwd", "/inbox", ""] {
        assert!(matches!(post(OPEN, target).await, Outcome::Refused { .. }), "{target}");
    }
}

#[tokio::test]
async fn silence_is_a_failure_in_time() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a socket");
    let address = listener.local_addr().expect("an address");
    let outcome = post(OPEN, &format!("http://{address}/")).await;
    assert_eq!(outcome, Outcome::Failed { status: None, reason: "no answer within 0.2 s".to_owned() });
    drop(listener);
    let outcome = post(OPEN, &format!("http://{address}/")).await;
    let reason = "no connection: nothing listens there".to_owned();
    assert_eq!(outcome, Outcome::Failed { status: None, reason });
}

#[tokio::test]
async fn why_nobody_answers_is_said_in_plain_words() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a socket");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        // Whoever comes is heard and gets something that is no HTTP and no TLS, or nothing.
        for answer in [&b"HELO\r\n\r\n"[..], b"", b"HELO\r\n\r\n"] {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            tokio::io::AsyncReadExt::read(&mut stream, &mut [0; 1024]).await.expect("a request");
            tokio::io::AsyncWriteExt::write_all(&mut stream, answer).await.expect("it is heard");
        }
    });
    let broken = "no answer: the host broke off or spoke in another way than expected";
    let (here, safe) = (format!("http://{address}/"), format!("https://{address}/"));
    for (target, said) in [
        (here.as_str(), broken),
        (&here, broken),
        (&safe, "no safe connection: the host speaks no TLS, or none that this server knows"),
        ("http://no-such-host.invalid/", "no connection: no address is known for the host's name"),
    ] {
        let outbound = Outbound::new(OPEN);
        let outcome = outbound.post(target, HeaderMap::new(), "{}".to_owned()).await;
        assert_eq!(outcome, Outcome::Failed { status: None, reason: said.to_owned() }, "{target}");
    }
    let guarded = Outbound::new(GUARDED);
    let outcome = guarded.post("http://no-such-host.invalid/", HeaderMap::new(), "{}".to_owned()).await;
    let reason = "no connection: no address is known for the host's name".to_owned();
    assert_eq!(outcome, Outcome::Failed { status: None, reason });
}

#[test]
fn a_redirect_is_no_delivery() {
    for status in [200, 201, 204, 299] {
        assert_eq!(judge(status), Outcome::Delivered { status });
    }
    for status in [301, 302, 307, 308, 400, 404, 429, 500, 503] {
        assert!(matches!(judge(status), Outcome::Failed { status: Some(_), .. }), "{status}");
    }
    assert_eq!(judge(410), Outcome::Gone { status: 410 });
}
