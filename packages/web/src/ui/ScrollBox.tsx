// Lets content that is too wide scroll sideways on its own, by keyboard too, so that the page stays still.
import { type ReactNode, useEffect, useRef, useState } from 'react';
import classes from './ScrollBox.module.css';

type ScrollBoxProps = {
  /** Names the content for screen readers. */
  label: string;
  className?: string | undefined;
  children: ReactNode;
};

export function ScrollBox({ label, className = '', children }: ScrollBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  const [isTooWide, setTooWide] = useState(false);
  useEffect(() => {
    const shown = box.current;
    if (shown === null) return;
    const measure = () => setTooWide(shown.scrollWidth > shown.clientWidth);
    const observer = new ResizeObserver(measure);
    for (const element of [shown, ...shown.children]) observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    // It needs the focus to be scrolled by keyboard, but must not be a stop if there is nothing to scroll.
    <div
      ref={box}
      className={`${classes.box} ${classes.content} ${className}`}
      {...(isTooWide && { 'data-scrolls': true, tabIndex: 0, role: 'group', 'aria-label': label })}
    >
      {children}
    </div>
  );
}
