# The server with ffmpeg, for processed videos, pictures and lengths (docs/media.md). Built after the server's image:
#   docker build -f apps/server/ffmpeg.Dockerfile -t tapedeck-server:ffmpeg .

# The digest of apps/server/Dockerfile: both images have the libraries of one system.
FROM node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS ffmpeg
RUN apt-get update && apt-get install -y --no-install-recommends ffmpeg
# The shell limits ffmpeg's memory.
RUN mkdir /ffmpeg && cp --parents /usr/bin/ffmpeg /usr/bin/ffprobe /bin/sh $(ldd /usr/bin/ffmpeg /usr/bin/ffprobe /bin/sh | grep -o '\s/[^ ]*') /ffmpeg/

FROM tapedeck-server
COPY --from=ffmpeg /ffmpeg/ /
