// Builds the command of the package in the current folder: `npm run build -w packages/minidump`.
import { bundlePackage } from './release/bundle-package.ts';

await bundlePackage(process.cwd());
