// The machine that the page is shown on.
import { useEffect, useState } from 'react';
import { type BrowserFacts, type Machine, readMachine } from './machine.ts';

type WithHints = {
  userAgentData?: { getHighEntropyValues(names: readonly string[]): Promise<NonNullable<BrowserFacts['hints']>> };
};

const plain: BrowserFacts = { userAgent: navigator.userAgent, touchPoints: navigator.maxTouchPoints };

/** At first by the user agent; a moment later by the hints, where the browser gives any. */
export function useMachine(): Machine {
  const [machine, setMachine] = useState(() => readMachine(plain));
  useEffect(() => {
    const { userAgentData } = navigator as WithHints;
    void userAgentData
      ?.getHighEntropyValues(['architecture', 'bitness', 'platform'])
      // A browser may refuse them; then it stays with what the user agent says.
      .then(
        (hints) => setMachine(readMachine({ ...plain, hints })),
        () => undefined,
      );
  }, []);
  return machine;
}
