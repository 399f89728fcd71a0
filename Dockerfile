# kedge in a container: docker build -t kedge . && docker run --rm -v "$PWD":/project kedge check
FROM debian:12-slim AS build
WORKDIR /kedge
COPY . .
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates openssl file \
 && scripts/setup --build && scripts/package deb && rm -rf /var/lib/apt/lists/*

FROM debian:12-slim
COPY --from=build /kedge/build/packages/kedge_*.deb /tmp/
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates git /tmp/kedge_*.deb \
 && rm -rf /tmp/kedge_*.deb /var/lib/apt/lists/* && useradd --create-home kedge
USER kedge
WORKDIR /project
ENTRYPOINT ["kedge"]
CMD ["check"]
