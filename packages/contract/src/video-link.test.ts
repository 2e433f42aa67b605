// cspell:ignore youtu
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readVideoLink } from './video-link.ts';

it('reads the addresses that people copy from YouTube and Vimeo', () => {
  const page = 'https://www.youtube.com/watch?v=dQw4w9WgX-_';
  for (const address of [
    page,
    'https://youtu.be/dQw4w9WgX-_?si=tracking',
    'https://m.youtube.com/watch?app=desktop&v=dQw4w9WgX-_&t=12s',
    'https://youtube.com/shorts/dQw4w9WgX-_',
    'https://www.youtube.com/live/dQw4w9WgX-_/',
    'https://www.youtube-nocookie.com/embed/dQw4w9WgX-_',
  ])
    assert.deepEqual(readVideoLink(address), {
      site: 'YouTube',
      page,
      player: 'https://www.youtube-nocookie.com/embed/dQw4w9WgX-_?rel=0',
      origin: 'https://www.youtube-nocookie.com',
    });
  assert.equal(readVideoLink('https://vimeo.com/76979871')?.player, 'https://player.vimeo.com/video/76979871?dnt=1');
  for (const address of [
    'https://vimeo.com/76979871/0a1b2c3d4e',
    'https://player.vimeo.com/video/76979871?h=0a1b2c3d4e',
  ])
    assert.deepEqual(readVideoLink(address), {
      site: 'Vimeo',
      page: 'https://vimeo.com/76979871/0a1b2c3d4e',
      player: 'https://player.vimeo.com/video/76979871?dnt=1&h=0a1b2c3d4e',
      origin: 'https://player.vimeo.com',
    });
  for (const address of ['https://vimeo.com/76979871/0a1b2c3d4e', page])
    assert.equal(readVideoLink(readVideoLink(address)!.page)?.page, address);
});

it('refuses everything else', () => {
  for (const address of [
    'http://youtu.be/dQw4w9WgXcQ',
    'https://youtu.be/dQw4w9WgXcQ/x',
    'https://youtu.be/short',
    'https://youtu.be/dQw4w9WgXcQQ',
    'https://www.youtube.com/watch?v=dQw4w9Wg%22%3E',
    'https://www.youtube.com/watch?list=PL123',
    'https://www.youtube.com/@channel',
    'https://www.youtube.com.evil.example/watch?v=dQw4w9WgXcQ',
    'https://evil.example/?https://youtu.be/dQw4w9WgXcQ',
    'https://user@youtu.be/dQw4w9WgXcQ',
    'https://youtu.be:8443/dQw4w9WgXcQ',
    'https://vimeo.com/channels/staffpicks',
    'https://vimeo.com/76979871/<script>',
    'https://player.vimeo.com/video/76979871?h=x%26autoplay%3D1',
    'javascript:alert(1)',
    '',
  ])
    assert.equal(readVideoLink(address), null, address);
});
