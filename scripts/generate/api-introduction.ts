// The prose at the top of the API reference.

export const API_INTRODUCTION = `Ship builds with a deploy key, follow their scans, and let players download them. The same description is served as OpenAPI 3.1 at
\`/api/v1/openapi.json\`; [generate a client](openapi.md) from it.

## Addresses

Every path begins with \`/api/v1\`. \`{base_url}\` is the service, \`{upload_url}\` the host for uploads; they are the same unless the operator
says otherwise. The examples use the variables of the \`chauffeur\` command, each a base that ends in \`/api/v1\`:

\`\`\`sh
export SERVICE_API_URL=http://127.0.0.1:4000/api/v1
export SERVICE_UPLOAD_URL=$SERVICE_API_URL
export SERVICE_ACCESS_TOKEN=… SERVICE_SECRET_KEY=…
\`\`\`

## Who calls

**A game, by its deploy key.** Send its two halves as \`X-Access-Token\` and \`X-Secret-Key\`, or as user and password (\`curl -u\`, HTTP
Basic). Issuing a key revokes the one before it.

**A person.** Sign in and keep the cookie. A change that a browser sends from another site's page is refused.

\`\`\`sh
curl -c cookies http://127.0.0.1:4000/api/auth/sign-in/email \\
  -H "Content-Type: application/json" \\
  -d '{ "email": "ada@example.com", "password": "…" }'
\`\`\`

**Anyone**, for the public operations.

## The envelope

Every JSON answer stands in an envelope. The tables below describe its \`data\`.

\`\`\`json
{ "success": true, "data": { "build_id": "0199a1b2-…", "created": true } }
\`\`\`

\`\`\`json
{ "success": false, "error": { "code": 4039, "message": "The game has no such build." } }
\`\`\`

[Errors](errors.md) lists every code with its remedy. Every answer carries \`X-Request-Id\`. Past a limit the answer is 429, with the seconds to wait in
\`Retry-After\`. Fields that a route does not know are ignored.`;
