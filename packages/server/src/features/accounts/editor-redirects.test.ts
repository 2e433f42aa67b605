import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isEditorRedirect, standIn, withoutStandIn } from './editor-redirects.ts';

const CURSOR = 'cursor://anysphere.cursor-mcp/oauth/callback';

test('editors’ addresses are known by their scheme, and the part of the editor that they open', () => {
  for (const uri of [CURSOR, 'vscode://ms.editor/x', 'vscode-insiders://ms.editor/x'])
    assert.equal(isEditorRedirect(uri), true, uri);
});

test('addresses of networks, scripts and other programs are not among them', () => {
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

test('a stand-in has the form that the provider takes, and gives back what it stands in for', () => {
  assert.match(standIn(CURSOR), /^[a-z-]+\.[a-z]+:\/[^/]/);
  assert.equal(withoutStandIn(standIn(CURSOR)), CURSOR);
});

test('nobody gets an address past the provider by writing a stand-in themselves', () => {
  for (const uri of ['javascript:alert(1)', 'http://agents.example/', 'smb://agents.example/x']) {
    const written = `stands-in.for:/${encodeURIComponent(uri)}`;
    assert.equal(withoutStandIn(written), written);
  }
  fc.assert(
    fc.property(fc.string(), (text) => withoutStandIn(text) === text || isEditorRedirect(withoutStandIn(text))),
  );
});
