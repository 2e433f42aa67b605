// biome-ignore-all lint/performance/noBarrelFile: it is what the package for launchers has.
// What a launcher can use. It is published as one file, with its types.
export { parseAddress } from './address.ts';
export { UpdaterError, type UpdaterErrorCode } from './error.ts';
export { findPrograms, type Launch, launch, programOf } from './launch.ts';
export type { InstallOptions, Options, Phase, Progress, Result, Version } from './options.ts';
export type { Platform } from './platform.ts';
export type { GameAddress, Release } from './server.ts';
export type { Install } from './state.ts';
export { type Removal, uninstall } from './uninstall.ts';
export {
  type Check,
  checkForUpdate,
  chooseProgram,
  install,
  readInstalled,
  repair,
  update,
  type Verification,
  verify,
} from './updater.ts';
