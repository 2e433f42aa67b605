// What the API reference says beside the schemas: calls to copy, and rules that no schema can express. By operation id.

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
    'Answers 201 when the build is new and 200 when it existed: then its title, description and changelog are replaced. A `title` that is absent is the version, a `channel` that is absent is `stable`, a `build_type` that is absent is `game`.',
  'uploads.file': `The build is found by \`build_id\`, or by \`build_type\`, \`version\`, \`os\`, \`arch\` and \`channel\`; then \`build\`, its title, is sent too. Put
\`file\` last in the form, so that a wrong field is refused before the zip is sent.

A whole zip needs \`os\`, \`arch\`, \`channel\` and \`checksum\`. With the header \`X-Upload-Session-ID\` the request is one chunk of a session and its form holds \`file\` alone; \`Content-Range: bytes <start>-<end>/<total_size>\`
says which bytes. Chunks go in order, one at a time. Every chunk but the last answers 202; the last answers 201, as a single upload does.
A chunk that does not continue the session answers [4044](errors.md#4044) with \`current_size\`: continue there.

The scan runs afterwards: follow it with [\`files.get\`](#filesget).`,
  'media.add':
    'Screenshots go to the end of the gallery; for several, send `file` once for each. An image is told by its content, not by its name, and all are about 16:9.',
  'events.create': `Game and build are named by the headers \`X-App-Id\` and \`X-Build-Id\`, or by \`app_id\` and \`build_id\` in the address. One event may be sent without
the array around it, and the body under any \`Content-Type\`, as beacons do. \`POST /v1/events\`, outside of the API, takes what the engines’ analytics module sends.`,
  'events.deleteDevice':
    'Looks through every day of events that is kept, and may take a while. Repeated, it finds nothing more.',
  'symbols.upload': `Send the file in \`file\`, with \`build_id\` in the form or in the address, and \`checksum\`. Breakpad’s \`sym_upload\` sends it in \`symbol_file\`
and needs no checksum; it is answered 200.`,
  'uploads.openSession': 'The build is found as in [`uploads.file`](#uploadsfile).',
};
