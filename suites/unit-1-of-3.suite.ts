// The tests that need no server, share 1 of 3.
import { loadShare } from '../scripts/load-share.ts';

await loadShare(
  ['packages/{contract,minidump,web}/**/*.test.ts', 'packages/{cli,server}/src/**/*.test.ts', 'scripts/**/*.test.ts'],
  { share: 1, of: 3 },
);
