# Built once with everything, shipped with what runs: Node, the service, a headless Chromium.
FROM node:20.20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json tsconfig.build.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY src src
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:20.20-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends chromium-headless-shell fonts-liberation \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY bin bin
RUN install -d -o node -g node -m 0711 /var/lib/runledger
USER node
EXPOSE 3000
ENTRYPOINT ["node", "bin/runledger.js"]
CMD ["server"]
