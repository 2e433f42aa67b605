// The front door of backups: what operators' commands use.
import * as verification from './verify.ts';

export const { verifyBlobs } = verification;
