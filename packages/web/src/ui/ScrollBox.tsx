// What is wider than a phone: it scrolls by itself, by keys as well, and the page does not.
import type { ReactNode } from 'react';

type ScrollBoxProps = { /** What is inside, for who cannot see it. */ label: string; children: ReactNode };

const BOX = { overflowX: 'auto' } as const;

export function ScrollBox({ label, children }: ScrollBoxProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus, keys could not scroll it
    <section tabIndex={0} aria-label={label} style={BOX}>
      {children}
    </section>
  );
}
