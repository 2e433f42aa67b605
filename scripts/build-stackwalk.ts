// Builds the `minidump-stackwalk` command of this checkout.
import { join } from 'node:path';
import { bundleStackwalk } from './release/bundle-stackwalk.ts';

await bundleStackwalk(join(import.meta.dirname, '../packages/minidump'));
