// Places for things that take much memory. Others wait until one is free, in the order in which they came, except that
// no owner has more than its share of them.

type PlaceLimits = {
  readonly all: number;
  readonly ofOne: number;
  /** The longest wait, in milliseconds. */
  readonly waitMs: number;
};

type Waiting = { readonly owner: string; readonly begin: () => void };

export type Places = {
  /** Resolves to the function that leaves the place, which may be called again; null if none became free in time. */
  enter(owner: string): Promise<(() => void) | null>;
};

export function createPlaces({ all, ofOne, waitMs }: PlaceLimits): Places {
  const taken = new Map<string, number>();
  const queue = new Set<Waiting>();
  let used = 0;

  const ofOwner = (owner: string) => taken.get(owner) ?? 0;
  const isFree = (owner: string) => used < all && ofOwner(owner) < ofOne;

  function take(owner: string): () => void {
    used += 1;
    taken.set(owner, ofOwner(owner) + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      used -= 1;
      if (ofOwner(owner) > 1) taken.set(owner, ofOwner(owner) - 1);
      else taken.delete(owner);
      queue
        .values()
        .find((waiting) => isFree(waiting.owner))
        ?.begin();
    };
  }

  return {
    enter(owner) {
      if (isFree(owner)) return Promise.resolve(take(owner));
      const { promise, resolve } = Promise.withResolvers<(() => void) | null>();
      const end = (leave: (() => void) | null) => {
        clearTimeout(timer);
        queue.delete(waiting);
        resolve(leave);
      };
      const waiting = { owner, begin: () => end(take(owner)) };
      const timer = setTimeout(() => end(null), waitMs);
      queue.add(waiting);
      return promise;
    },
  };
}
