// The tests that boot the server, share 4 of 6.
import { loadShare } from '../scripts/load-share.ts';

await loadShare(['packages/server/test/*.test.ts'], { share: 4, of: 6 });
