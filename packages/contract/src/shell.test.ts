import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { assign, postCommand, quote, type Shell, translateCommands } from './shell.ts';

const translated = (commands: string) => [
  translateCommands(commands, 'powershell'),
  translateCommands(commands, 'cmd'),
];

test('words are quoted for PowerShell and the Command Prompt', () => {
  const quoted = (shell: Shell) => [`it's`, 'a\u2019b', 'a "b" c', 'C:\\My games'].map((text) => quote(text, shell));
  assert.deepEqual(quoted('powershell'), [`'it''s'`, `'a\u2019\u2019b'`, `'a "b" c'`, `'C:\\My games'`]);
  assert.deepEqual(quoted('cmd'), [`"it's"`, '"a\u2019b"', '"a ""b"" c"', '"C:\\My games"']);
  assert.equal(quote('dist/linux', 'sh'), 'dist/linux');
});

test('words are quoted so that a shell reads the text as it was typed', () => {
  const text = fc.string({ unit: fc.constantFrom(...'a \'"$`\\!*é;|&') });
  fc.assert(
    fc.property(text, (typed) => {
      const echoed = execFileSync('sh', ['-c', `printf %s ${quote(typed, 'sh')}`]).toString();
      assert.equal(echoed, typed);
    }),
    { numRuns: 30 },
  );
});

test('variables are set in the way of each shell', () => {
  assert.equal(assign('A', 'b', 'sh'), 'export A=b');
  assert.deepEqual(translated('export A=b C="$HOME/d"'), [
    '$env:A = \'b\'\n$env:C = "$HOME\\d"',
    'set "A=b"\nset "C=%USERPROFILE%\\d"',
  ]);
  assert.deepEqual(translated('export PATH="$TOOLS:$PATH"'), [
    '$env:PATH = "$env:TOOLS;$env:PATH"',
    'set "PATH=%TOOLS%;%PATH%"',
  ]);
});

test('variables in words, paths and lines that continue are translated', () => {
  assert.deepEqual(
    translated('chauffeur symbols --build-id "$BUILD_ID" \\\n  out/symbols  # all of them\nchauffeur info'),
    [
      'chauffeur symbols --build-id "$env:BUILD_ID" `\n  out\\symbols  # all of them\nchauffeur info',
      'chauffeur symbols --build-id "%BUILD_ID%" ^\n  out\\symbols\nchauffeur info',
    ],
  );
  assert.deepEqual(translated('npx a "$A:b" tools/list "$URL/y"'), [
    `npx a "\${env:A}:b" tools/list "$env:URL/y"`,
    'npx a "%A%:b" tools/list "%URL%/y"',
  ]);
});

test('curl is the program, not the alias of Windows PowerShell', () => {
  assert.deepEqual(translated("curl -H 'Content-Type: application/json' --data '@a.json' https://x.example"), [
    "curl.exe -H 'Content-Type: application/json' --data '@a.json' https://x.example",
    'curl -H "Content-Type: application/json" --data @a.json https://x.example',
  ]);
});

test('the line that installs the command becomes the one for Windows', () => {
  assert.deepEqual(translated('curl -fsSL https://x.example/cli/install.sh | sh'), [
    'irm https://x.example/cli/install.ps1 | iex',
    'powershell -Command "irm https://x.example/cli/install.ps1 | iex"',
  ]);
});

test('a command that posts JSON quotes it for each shell', () => {
  const request = { url: 'https://x.example/a', headers: { 'X-App-Id': 'one' }, body: { message: "it's" } };
  assert.equal(
    postCommand(request, 'sh'),
    `curl -sS https://x.example/a \\\n  -H 'X-App-Id: one' \\\n  -H 'Content-Type: application/json' -d '{"message":"it'\\''s"}'`,
  );
  assert.equal(
    postCommand(request, 'cmd'),
    'curl -sS https://x.example/a ^\n  -H "X-App-Id: one" ^\n  -H "Content-Type: application/json" -d "{\\"message\\":\\"it\'s\\"}"',
  );
  assert.equal(
    postCommand(request, 'powershell'),
    "Invoke-RestMethod https://x.example/a -Method Post `\n  -Headers @{ 'X-App-Id' = 'one' } `\n" +
      '  -ContentType application/json -Body \'{"message":"it\'\'s"}\'',
  );
});

test('comments and empty lines stay', () => {
  assert.deepEqual(translated('# one\n\na'), ['# one\n\na', 'rem one\n\na']);
});

test('anything else is refused', () => {
  for (const command of ['a && b', 'a > b', 'a "$(b)"', 'a `b`', 'a <(b)', 'a ; b', "a 'b"])
    assert.throws(() => translateCommands(command, 'cmd'), /Can't translate/, command);
});
