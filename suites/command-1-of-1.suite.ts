// The tests of the `chauffeur` command against a server.
import { loadShare } from '../scripts/load-share.ts';

await loadShare(['packages/cli/test/*.test.ts'], { share: 1, of: 1 });
