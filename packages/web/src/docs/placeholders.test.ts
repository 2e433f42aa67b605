import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillIn, hasPlaceholder } from './placeholders.ts';

const IDS = { gameUid: 'UID', slug: 'owls', buildId: 'BUILD' };

test('ids replace variables of each shell, whole ids and shortened ones', () => {
  for (const [before, after] of [
    ['-H "X-App-Id: $GAME_UID" -H "X-Build-Id: $BUILD_ID"', '-H "X-App-Id: UID" -H "X-Build-Id: BUILD"'],
    ['"X-App-Id: $env:GAME_UID"', '"X-App-Id: UID"'],
    ['"X-Build-Id: %BUILD_ID%"', '"X-Build-Id: BUILD"'],
    ['?app_id=$SERVICE_GAMES_APP_ID&build_id=$SERVICE_GAMES_BUILD_ID', '?app_id=UID&build_id=BUILD'],
    ['AppId="0193a7c0-1111-7000-8000-000000000001"', 'AppId="UID"'],
    ['app_id=0193a7c0-1111-…&build_id=0193a7c0-2222-…', 'app_id=UID&build_id=BUILD'],
    [
      'https://games.studio.example/api/v1/games/my-game/builds',
      'https://games.studio.example/api/v1/games/owls/builds',
    ],
  ] as const) {
    assert.equal(hasPlaceholder(before), true, before);
    assert.equal(fillIn(before, IDS), after);
  }
});

test('other texts, and ids that are not known, stay as they are', () => {
  for (const text of ['$GAME', '$BUILD_ID_FILE', 'file_uid=0193a7c0-3333-…', '/builds/my-game/src', 'GAME_UID=x'])
    assert.deepEqual([hasPlaceholder(text), fillIn(text, IDS)], [false, text], text);
  assert.equal(fillIn('$GAME_UID $BUILD_ID', { ...IDS, buildId: undefined }), 'UID $BUILD_ID');
});
