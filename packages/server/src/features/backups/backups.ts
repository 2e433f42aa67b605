// The front door of backups: what operators' commands use.
import * as backup from './backup.ts';
import * as copying from './copy-blobs.ts';
import * as manifest from './manifest.ts';
import * as restoring from './restore.ts';
import * as verification from './verify.ts';

export const { BackupError } = manifest;
export const { backUp } = backup;
export const { restore, verifyBackup } = restoring;
export const { verifyBlobs } = verification;
export const { copyBlobs } = copying;
