import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fromPlaceholder, isEditorRedirect, toPlaceholder } from './editor-redirects.ts';

const CURSOR = 'cursor://anysphere.cursor-mcp/oauth/callback';

test('redirect addresses of editors are recognized by their scheme and target', () => {
  for (const uri of [CURSOR, 'vscode://ms.editor/x', 'vscode-insiders://ms.editor/x'])
    assert.equal(isEditorRedirect(uri), true, uri);
});

test('addresses of networks, scripts and other programs are not recognized', () => {
  const others = [
    ...['https://anysphere.cursor-mcp/x', 'smb://agents.example/x', 'ssh://agents.example/x', 'javascript://a.b/x'],
    ...[
      'cursor:anysphere',
      'cursor://host/x',
      'cursor://u@a.b/x',
      'cursor://a.b/x#y',
      'cursor://a.b/x?y',
      'xcursor://a.b/x',
      `${CURSOR}\n`,
    ],
  ];
  for (const uri of others) assert.equal(isEditorRedirect(uri), false, uri);
});

test('a placeholder has the form that the provider accepts, and maps back to the original address', () => {
  assert.match(toPlaceholder(CURSOR), /^[a-z-]+\.[a-z]+:\/[^/]/);
  assert.equal(fromPlaceholder(toPlaceholder(CURSOR)), CURSOR);
});

test('a placeholder sent by a client is refused', () => {
  for (const uri of ['javascript:alert(1)', 'http://agents.example/', 'smb://agents.example/x']) {
    const written = `placeholder.for:/${encodeURIComponent(uri)}`;
    assert.equal(fromPlaceholder(written), written);
  }
  fc.assert(
    fc.property(fc.string(), (text) => fromPlaceholder(text) === text || isEditorRedirect(fromPlaceholder(text))),
  );
});
