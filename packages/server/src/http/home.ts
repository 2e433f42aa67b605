// The root page of a server without the website: says that the service runs, and links to its API.

export const homePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Chauffeur</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 40rem; margin: 4rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
code { font-size: 0.9em; }
</style>
</head>
<body>
<main>
<h1>Chauffeur is running</h1>
<p>Upload builds of your game with the <code>chauffeur</code> command and a deploy key.</p>
<ul>
<li><a href="/api/v1/openapi.json">API description</a> (OpenAPI 3.1)</li>
<li><a href="/ready">Server status</a></li>
</ul>
</main>
</body>
</html>
`;
