// Additions to the API reference by operation id: calls to copy, and rules that a schema cannot express.

const KEY = `-H "X-Access-Token: $SERVICE_ACCESS_TOKEN" -H "X-Secret-Key: $SERVICE_SECRET_KEY"`;

export const EXAMPLES: Readonly<Record<string, string>> = {
  'builds.register': `curl "$SERVICE_API_URL/tool/upload/build" \\
  ${KEY} \\
  -H "Content-Type: application/json" \\
  -d '{ "version": "1.4.0", "os": "linux", "arch": "x86_64", "channel": "beta", "title": "Autumn update" }'`,

  'uploads.file': `curl "$SERVICE_UPLOAD_URL/tool/upload/files" \\
  ${KEY} \\
  -F build_id="$BUILD_ID" -F os=linux -F arch=x86_64 -F channel=beta \\
  -F checksum="$(sha256sum game.zip | cut -d ' ' -f 1)" \\
  -F file=@game.zip

# One chunk of a session: here the first 16 MiB.
head -c 16777216 game.zip > chunk
curl "$SERVICE_UPLOAD_URL/tool/upload/files" \\
  ${KEY} \\
  -H "X-Upload-Session-ID: $SESSION_ID" \\
  -H "Content-Range: bytes 0-16777215/$(stat -c %s game.zip)" \\
  -F file=@chunk`,

  'uploads.openSession': `curl "$SERVICE_UPLOAD_URL/tool/upload/sessions" \\
  ${KEY} \\
  -d build_id="$BUILD_ID" -d os=linux -d arch=x86_64 -d channel=beta \\
  -d filename=game.zip -d total_size="$(stat -c %s game.zip)" \\
  -d checksum="$(sha256sum game.zip | cut -d ' ' -f 1)"`,

  'files.get': `curl "$SERVICE_API_URL/tool/files/$FILE_UID" \\
  ${KEY}`,

  'builds.list': `curl "$SERVICE_API_URL/tool/builds?os=linux&channel=beta&page_size=5" \\
  ${KEY}`,

  'media.add': `curl "$SERVICE_API_URL/tool/media" \\
  ${KEY} \\
  -F kind=cover -F file=@cover.png`,

  'events.create': `curl "$SERVICE_API_URL/public/events" \\
  -H "X-App-Id: $SERVICE_GAMES_APP_ID" -H "X-Build-Id: $SERVICE_GAMES_BUILD_ID" -H "Content-Type: application/json" \\
  -d '{ "events": [{ "event": "boot_ok", "device_uid": "0b51a2c8-6d3e-4f7a-9c15-3e8d7b42f601", "ms": 4200 }] }'`,

  'store.game': `curl "$SERVICE_API_URL/public/games/my-game"`,

  'store.download': `curl -L -o game.zip "$SERVICE_API_URL/public/games/my-game/files/$FILE_UID/download"`,

  'store.provenance': `curl "$SERVICE_API_URL/public/games/my-game/files/$FILE_UID/provenance"`,

  'channels.promote': `curl -b cookies "$SERVICE_API_URL/games/my-game/channels/stable/promote" \\
  -H "Content-Type: application/json" \\
  -d '{ "build_id": "'"$BUILD_ID"'", "expires_in_hours": 0 }'`,
};

export const NOTES: Readonly<Record<string, string>> = {
  'builds.register':
    'Returns 201 for a new build. Returns 200 if the build exists, and replaces its title, description and changelog. By default, `title` is the version, `channel` is `stable` and `build_type` is `game`.',
  'uploads.file': `Identify the build by \`build_id\`, or by \`build_type\`, \`version\`, \`os\`, \`arch\`, \`channel\` and its title in \`build\`. Put \`file\` last in the
form, so that an invalid field is refused before the zip is sent.

A whole zip needs \`os\`, \`arch\`, \`channel\` and \`checksum\`.

To upload in chunks, open a session and send each chunk with the header \`X-Upload-Session-ID\`, its position in
\`Content-Range: bytes <start>-<end>/<total_size>\`, and a form that contains only \`file\`. Send the chunks in order, one at a time. The last
chunk returns 201, like a whole zip, and all others return 202. A chunk that does not continue the session returns [4044](errors.md#4044)
with \`current_size\`, the position to continue at.

The file is scanned after the upload. Follow the scan with [\`files.get\`](#filesget).`,
  'media.add':
    'Screenshots are added to the end of the gallery. To add several, send one `file` part for each. The format is detected from the content, not from the file name. All images must be about 16:9.',
  'events.create': `Identify the game and the build in the headers \`X-App-Id\` and \`X-Build-Id\`, or in the query with \`app_id\` and \`build_id\`. A single
event can be sent without the array, and the body can have any \`Content-Type\`, as beacons need. The analytics modules of engines send
events to \`POST /v1/events\`, which is not part of this API.`,
  'events.deleteDevice':
    'This searches all stored events, which can take a while. Repeating the call has no further effect.',
  'symbols.upload': `Send the symbols in \`file\`, with \`checksum\` and with \`build_id\` in the form or in the query. Breakpad's \`sym_upload\` sends them in
\`symbol_file\` without a checksum, and gets the status 200.`,
  'uploads.openSession': 'Identify the build as in [`uploads.file`](#uploadsfile).',
};
