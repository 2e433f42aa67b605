// Lets wide content scroll sideways on its own, by keyboard too, so that the page stays still.
import type { ReactNode } from 'react';

type ScrollBoxProps = { /** Names the content for screen readers. */ label: string; children: ReactNode };

const BOX = { overflowX: 'auto' } as const;

export function ScrollBox({ label, children }: ScrollBoxProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it needs the focus to be scrolled by keyboard
    <section tabIndex={0} aria-label={label} style={BOX}>
      {children}
    </section>
  );
}
