import assert from 'node:assert/strict';
import { it } from 'node:test';
import { writeWidgetCode } from './widget-code.ts';

it('writes one frame, whatever the game is called', () => {
  assert.equal(
    writeWidgetCode('https://games.example.com/g/walk/widget?theme=dark', 'Walk'),
    '<iframe src="https://games.example.com/g/walk/widget?theme=dark" title="Walk" width="560" height="170" style="border: 0; max-width: 100%" loading="lazy"></iframe>',
  );
  const code = writeWidgetCode('https://games.example.com/g/walk/widget', '"><script>&amp;');
  assert.match(code, /title="&#34;&#62;&#60;script&#62;&#38;amp;"/);
});
