# docker build -t demand --build-arg DEMAND_COMMIT="$(git rev-parse --short=12 HEAD)" .
FROM denoland/deno:2.9.6 AS build
WORKDIR /src
COPY . .
# What `demand version` tells: the repository itself is not copied.
ARG DEMAND_COMMIT=
RUN deno install --frozen
RUN deno task compile
RUN mkdir -p /src/dist/data

# The C library and nothing else: no shell, no package manager.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /src/dist/demand /demand
COPY --from=build --chown=nonroot:nonroot /src/dist/data /data
ENV HOST=0.0.0.0 PORT=8402 DATA_DIR=/data
# The C library gives large blocks back at once: less resident with the embedded database.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
WORKDIR /data
USER nonroot
VOLUME ["/data"]
EXPOSE 8402
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s CMD ["/demand", "healthcheck"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/demand"]
CMD ["serve"]
