// The visitor's OS and processor.
import { useEffect, useState } from 'react';
import { type BrowserFacts, type Machine, readMachine } from './machine.ts';

type WithHints = {
  userAgentData?: { getHighEntropyValues(names: readonly string[]): Promise<NonNullable<BrowserFacts['hints']>> };
};

const plain: BrowserFacts = { userAgent: navigator.userAgent, touchPoints: navigator.maxTouchPoints };

/** Starts with what the user agent says, and updates once the browser has returned its hints, if it has any. */
export function useMachine(): Machine {
  const [machine, setMachine] = useState(() => readMachine(plain));
  useEffect(() => {
    const { userAgentData } = navigator as WithHints;
    void userAgentData
      ?.getHighEntropyValues(['architecture', 'bitness', 'platform'])
      // A browser may refuse. The user agent then has to do.
      .then(
        (hints) => setMachine(readMachine({ ...plain, hints })),
        () => undefined,
      );
  }, []);
  return machine;
}
