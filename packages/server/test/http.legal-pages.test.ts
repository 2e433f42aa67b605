// The operator's imprint, privacy policy and terms on the real server: on every page, at sign-up and in mails.
// cspell:ignore Impressum Datenschutz Nutzungsbedingungen
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { signUp } from './setup/accounts.ts';
import { mailTo } from './setup/mail.ts';
import { makeGame, startServer, type TestServer } from './setup/server.ts';

const IMPRINT = `# Who we are & why

Night Owls
Example Street 1

<script>alert(1)</script> [code](javascript:alert(1)) ![a picture](https://evil.example/a.png)
`;
const POLICY = 'https://studio.example/privacy?a=1&b=2';

let folder: string;
let server: TestServer;
let slug: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chauffeur-legal-'));
  await writeFile(join(folder, 'imprint.md'), IMPRINT);
  await writeFile(join(folder, 'terms.de.md'), '\ufeffSei nett.');
  server = await startServer({
    env: {
      CHAUFFEUR_IMPRINT_EN: join(folder, 'imprint.md'),
      CHAUFFEUR_IMPRINT_DE: 'https://studio.example/impressum',
      CHAUFFEUR_PRIVACY_EN: POLICY,
      CHAUFFEUR_TERMS_DE: join(folder, 'terms.de.md'),
    },
  });
  ({ slug } = await makeGame(server));
});
after(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

async function read(path: string, language = 'en', at: Pick<TestServer, 'url'> = server) {
  const headers = { 'accept-language': language, accept: 'text/html' };
  const response = await fetch(at.url + path, { headers, redirect: 'manual' });
  return { status: response.status, text: await response.text() };
}

/** The links to the pages in the footer, in their order. */
function linksOf(html: string): [string, string][] {
  const [footer = ''] = /<footer[\s\S]*<\/footer>/.exec(html) ?? [];
  return [...footer.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)]
    .map((match): [string, string] => [match[1]!, match[2]!])
    .filter(([url]) => /studio\.example|^\/(imprint|privacy|terms)/.test(url));
}

const ENGLISH = [
  ['/imprint', 'Imprint'],
  [POLICY.replace('&', '&amp;'), 'Privacy policy'],
  ['/terms', 'Terms of use'],
];
const GERMAN = [
  ['https://studio.example/impressum', 'Impressum'],
  [POLICY.replace('&', '&amp;'), 'Datenschutz'],
  ['/terms', 'Nutzungsbedingungen'],
];

describe('the links', () => {
  test('are in the footer of every public page, in its language or else in the other one', async () => {
    for (const path of ['/', '/browse', `/g/${slug}`, `/g/${slug}/follow`, '/imprint', '/no-such-page'])
      for (const [language, links] of [
        ['en', ENGLISH],
        ['de', GERMAN],
      ] as const)
        assert.deepEqual(linksOf((await read(path, language)).text), links, `${path} ${language}`);
    for (const path of ['/docs', '/docs/start', '/docs/search?q=symbols', '/docs/none'])
      assert.deepEqual(linksOf((await read(path)).text), ENGLISH, path);
  });

  test('are in the documents that start the program', async () => {
    for (const [path, language, label] of [
      ['/sign-up', 'en', 'Privacy policy'],
      ['/sign-up', 'de', 'Datenschutz'],
      ['/dev', 'de', 'Privacy policy'],
    ] as const) {
      const { text } = await read(path, language);
      const [, json = ''] = /<script type="application\/json" id="legal">(.*?)<\/script>/.exec(text) ?? [];
      const links = JSON.parse(json) as { page: string; label: string; url: string }[];
      assert.deepEqual(
        links.map(({ page }) => page),
        ['imprint', 'privacy', 'terms'],
      );
      assert.deepEqual(links[1], { page: 'privacy', label, url: POLICY });
    }
  });

  test('are missing without the settings, and so are the pages', async () => {
    const plain = await startServer({ shareWith: server });
    try {
      assert.deepEqual(linksOf((await read('/', 'en', plain)).text), []);
      assert.match((await read('/dev', 'en', plain)).text, /id="legal">\[\]</);
      for (const path of ['/imprint', '/privacy', '/terms'])
        assert.equal((await read(path, 'en', plain)).status, 404, path);
    } finally {
      await plain.stop();
    }
  });
});

describe('a page', () => {
  test('shows its file as safe Markdown, with the heading at its start as the title', async () => {
    const { status, text } = await read('/imprint');
    assert.equal(status, 200);
    assert.match(text, /<title>Who we are &amp; why · Chauffeur<\/title>/);
    const [main = ''] = /<main[\s\S]*<\/main>/.exec(text) ?? [];
    assert.equal(main.match(/<h1>/g)?.length, 1);
    assert.match(main, /<h1>Who we are &amp; why<\/h1>/);
    assert.match(main, /<p>Night Owls<br>\s*Example Street 1<\/p>/);
    assert.doesNotMatch(main, /<script|href="javascript|<img|evil\.example/);
  });

  test('is shown in the language that it has, with its usual title', async () => {
    const { status, text } = await read('/terms');
    assert.equal(status, 200);
    assert.match(text, /<h1>Terms of use<\/h1>[\s\S]*<p>Sei nett\.<\/p>/);
  });

  test('that is only elsewhere is not found here', async () => assert.equal((await read('/privacy')).status, 404));
});

test('mails end with the links, in their language', async () => {
  const account = await signUp(server);
  const { text } = await mailTo(server, account.email, /Verify/);
  const [, footer = ''] = /\n-- \n([\s\S]*)$/.exec(text) ?? [];
  const flat = footer.replace(/\s+/g, ' ');
  assert.ok(
    flat.includes(
      `Imprint: ${server.url}/imprint?lang=en Privacy policy: ${POLICY} Terms of use: ${server.url}/terms?lang=en`,
    ),
    flat,
  );
  assert.equal(text.match(/^-- $/gm)?.length, 1);
});
