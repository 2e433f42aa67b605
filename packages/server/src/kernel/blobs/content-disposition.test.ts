import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attachment } from './content-disposition.ts';

const CASES: readonly (readonly [filename: string, value: string])[] = [
  ['game-1.2.zip', 'attachment; filename="game-1.2.zip"'],
  ['my game.zip', 'attachment; filename="my game.zip"'],
  ['Größe.zip', `attachment; filename="Gr__e.zip"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.zip`],
  ['🎮.zip', `attachment; filename="_.zip"; filename*=UTF-8''%F0%9F%8E%AE.zip`],
  [`it's (1)*é.zip`, `attachment; filename="it's (1)*_.zip"; filename*=UTF-8''it%27s%20%281%29%2A%C3%A9.zip`],
  ['100%.zip', `attachment; filename="100%.zip"; filename*=UTF-8''100%25.zip`],
  ['a"b.zip', `attachment; filename="a'b.zip"; filename*=UTF-8''a%22b.zip`],
  ['../..\\a.zip', 'attachment; filename=".._.._a.zip"'],
  ['a\r\nX-Evil: 1.zip', 'attachment; filename="a__X-Evil: 1.zip"'],
  ['\ud800.zip', `attachment; filename="_.zip"; filename*=UTF-8''%EF%BF%BD.zip`],
];

for (const [filename, value] of CASES) {
  test(`names a download ${JSON.stringify(filename)}`, () => assert.equal(attachment(filename), value));
}
