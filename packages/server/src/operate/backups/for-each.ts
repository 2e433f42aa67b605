// Runs work for the items of a page, a few at a time.

/** Blobs are small or limited by the network and the disk, so more at once would gain little. */
const AT_ONCE = 4;

/** Runs `work` for each item, four at a time. Rejects with the first error, when no work is running any more. */
export async function forEachOfPage<T>(page: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = page.values();
  const results = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of rest) await work(item);
    }),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
