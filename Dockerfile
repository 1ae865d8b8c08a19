# syntax=docker/dockerfile:1
# The server and its site in one image. `docker compose up` runs it with a PostgreSQL beside it.

FROM debian:trixie-slim AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates gcc git libc6-dev nodejs npm rustup \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# The tools, wasm-bindgen above all, are a layer of their own: built once per Cargo.lock.
COPY Cargo.toml Cargo.lock ./
COPY scripts scripts
RUN scripts/setup build
COPY . .
RUN --mount=type=cache,target=/root/.cargo/registry \
    --mount=type=cache,target=/root/.cache/impri/target \
    scripts/build && install -D /root/.cache/impri/target/release/impri /out/impri

FROM debian:trixie-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates curl \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --create-home --home-dir /var/lib/impri impri
COPY --from=build /out/impri /usr/local/bin/impri
USER impri
ENV IMPRI_LISTEN=0.0.0.0:8484 \
    IMPRI_DATA_DIR=/var/lib/impri
VOLUME /var/lib/impri
EXPOSE 8484
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["curl", "--fail", "--silent", "--show-error", "--output", "/dev/null", "http://127.0.0.1:8484/healthz"]
ENTRYPOINT ["impri"]
CMD ["serve"]
