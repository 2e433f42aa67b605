// What a backup or a restore reports to its operator while it runs.

export type BackupReport = {
  /** A line of progress. */
  progress(line: string): void;
  /** A blob that is missing or does not match its row. The backup continues. */
  problem(line: string): void;
};
