// The website in a real browser, share 2 of 3.
import '../e2e/setup/shared-chromium.ts';
import { loadShare } from '../scripts/load-share.ts';

await loadShare(['e2e/website.*.test.ts'], { share: 2, of: 3 });
