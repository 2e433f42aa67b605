// Renders its content when it is about to be seen, or as soon as someone uses the page, so that a page that is only glanced
// at loads less.
import { Skeleton } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';

/** Signs that someone is reading: then the content may as well be there when they get to it. */
const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'scroll', 'focusin'] as const;
/** How far below the window the content is loaded. */
const MARGIN = '200px';

type WhenNeededProps = {
  /** About the height of the content, in pixels. */
  height: number;
  /** What is loading, for screen readers. */
  label: string;
  children: ReactNode;
};

export function WhenNeeded({ height, label, children }: WhenNeededProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isNeeded, setNeeded] = useState(false);
  useEffect(() => {
    const shown = place.current;
    if (isNeeded || shown === null) return;
    const need = () => setNeeded(true);
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) need();
      },
      { rootMargin: MARGIN },
    );
    observer.observe(shown);
    for (const sign of SIGNS) addEventListener(sign, need, { once: true, passive: true, capture: true });
    return () => {
      observer.disconnect();
      for (const sign of SIGNS) removeEventListener(sign, need, { capture: true });
    };
  }, [isNeeded]);
  if (isNeeded) return children;
  return <Skeleton ref={place} h={height} role="progressbar" aria-label={label} />;
}
