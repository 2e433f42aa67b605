// The prose at the top of the API reference.

export const API_INTRODUCTION = `With the API, you ship builds with a deploy key, follow their scans, and let players download them. The server also describes the API in
OpenAPI 3.1 at \`/api/v1/openapi.json\`, from which you can [generate a client](openapi.md).

## Base URLs

All paths start with \`/api/v1\`. \`{base_url}\` is the URL of the service and \`{upload_url}\` the URL for uploads. They are the same
unless the operator has configured a separate upload host. The examples use the environment variables of the \`chauffeur\` command, whose
values end in \`/api/v1\`:

\`\`\`sh
export SERVICE_API_URL=https://games.example.com/api/v1
export SERVICE_UPLOAD_URL=$SERVICE_API_URL
export SERVICE_ACCESS_TOKEN=… SERVICE_SECRET_KEY=…
\`\`\`

## Authentication

**Deploy keys** identify a game. Send the access token and the secret key as \`X-Access-Token\` and \`X-Secret-Key\`, or as user name and
password (HTTP Basic, \`curl -u\`). Creating a key revokes all earlier keys of the game.

**Accounts** identify a person. Sign in and send the cookie with each request. Changes are refused if a browser sends them from a page of
another site.

\`\`\`sh
curl -c cookies https://games.example.com/api/auth/sign-in/email \\
  -H "Content-Type: application/json" \\
  -d '{ "email": "ada@example.com", "password": "…" }'
\`\`\`

**Public** operations need no authentication.

## The envelope

Every JSON response has an envelope. The tables on this page describe its \`data\`.

\`\`\`json
{ "success": true, "data": { "build_id": "0199a1b2-…", "created": true } }
\`\`\`

\`\`\`json
{ "success": false, "error": { "code": 4039, "message": "The game does not have this build." } }
\`\`\`

[Errors](errors.md) lists every error code and how to fix it. Every response has an \`X-Request-Id\`. If you reach a limit, the response has
the status 429 and the number of seconds to wait in \`Retry-After\`. Unknown fields are ignored.`;
