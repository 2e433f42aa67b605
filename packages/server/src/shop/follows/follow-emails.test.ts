import assert from 'node:assert/strict';
import { test } from 'node:test';
import { releaseEmail } from './follow-emails.ts';

test('a mail about a release names the platforms of what only some have', () => {
  const [onLinux, onWindows] = ['linux', 'windows'].map((os) => [{ os, arch: 'x86_64' }]);
  const links = { page: 'https://games.example.com/g/walk', endPage: 'https://a.example/', end: 'https://b.example/' };
  const write = (titles: Parameters<typeof releaseEmail>[3]['titles']) => {
    const changes = [
      { title: 'Rain', platforms: null },
      { title: 'Snow\n- Hail', platforms: onWindows! },
    ];
    const release = { id: 'a', version: '1.0.0', titles, changes };
    return releaseEmail('reader@example.com', 'en', { name: 'Small Walk' }, release, links).text;
  };
  const different = write([
    { title: 'Wind', platforms: onWindows! },
    { title: 'Weather', platforms: onLinux! },
  ]);
  assert.match(
    different,
    /“Small Walk” 1\.0\.0 is out\.\n\nWind \(Windows 64-bit\)\nWeather \(Linux 64-bit\)\n\n- Rain\n/,
  );
  assert.match(different, /\n- Snow - Hail \(Windows 64-bit\)\n\n/);
  assert.match(write([{ title: 'Weather', platforms: null }]), /“Small Walk” 1\.0\.0 is out: Weather\.\n\n- Rain\n/);
  assert.match(write([]), /“Small Walk” 1\.0\.0 is out\.\n\n- Rain\n/);
});
