//! One HTTP/1.1 connection that is kept open. It does what these measurements need and nothing more, so that the time
//! that is measured is the server's.

use std::borrow::Cow;
use std::net::SocketAddr;

use anyhow::{Context as _, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// An open connection.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// An answer, in the connection's buffer.
pub struct Reply<'a> {
    pub status: u16,
    head: &'a [u8],
    pub body: Cow<'a, [u8]>,
}

impl Reply<'_> {
    /// The value of the first header of this name, which must be written in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(self.head, name)
    }

    /// The body as text, for messages.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }
}

impl Connection {
    pub async fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await.context("the server can't be reached")?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::new() })
    }

    /// Sends a whole request and reads the whole answer.
    pub async fn exchange(&mut self, request: &[u8]) -> anyhow::Result<Reply<'_>> {
        self.stream.write_all(request).await.context("the request could not be sent")?;
        self.buffer.clear();
        let head_end = loop {
            let seen = self.buffer.len().saturating_sub(3);
            self.fill().await?;
            if let Some(at) = find(&self.buffer[seen..], b"\r\n\r\n") {
                break seen + at + 4;
            }
        };
        let status = self.buffer.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
        let status = status.context("the answer has no status")?;
        let head = &self.buffer[..head_end];
        if let Some(length) = header(head, "content-length") {
            let end = head_end + length.parse::<usize>().context("the answer has no length")?;
            while self.buffer.len() < end {
                self.fill().await?;
            }
            let (head, body) = self.buffer.split_at(head_end);
            return Ok(Reply { status, head, body: Cow::Borrowed(body) });
        }
        if header(head, "transfer-encoding").is_none() {
            return Ok(Reply { status, head: &self.buffer[..head_end], body: Cow::Borrowed(&[]) });
        }
        while !self.buffer.ends_with(b"\r\n0\r\n\r\n") {
            self.fill().await?;
        }
        let (head, chunks) = self.buffer.split_at(head_end);
        Ok(Reply { status, head, body: Cow::Owned(join(chunks)?) })
    }

    async fn fill(&mut self) -> anyhow::Result<()> {
        if self.stream.read_buf(&mut self.buffer).await.context("the answer broke off")? == 0 {
            bail!("the server closed the connection");
        }
        Ok(())
    }
}

fn header<'a>(head: &'a [u8], name: &str) -> Option<&'a str> {
    head.split(|byte| *byte == b'\n').skip(1).find_map(|line| {
        let value = line.strip_prefix(name.as_bytes())?.strip_prefix(b":")?;
        std::str::from_utf8(value).ok().map(str::trim)
    })
}

/// Puts the chunks of a body together.
fn join(mut rest: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut body = Vec::with_capacity(rest.len());
    loop {
        let line = find(rest, b"\r\n").context("a chunk has no length")?;
        let digits = std::str::from_utf8(&rest[..line])?;
        let length = usize::from_str_radix(digits, 16).context("a chunk's length is no number")?;
        let start = line + 2;
        if length == 0 {
            return Ok(body);
        }
        body.extend_from_slice(rest.get(start..start + length).context("a chunk is too short")?);
        rest = rest.get(start + length + 2..).context("a chunk has no end")?;
    }
}

/// Where a needle is.
pub fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
