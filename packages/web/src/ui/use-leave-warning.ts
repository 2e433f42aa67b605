// Warns before the page is left, closed or reloaded, because it shows something that can't be shown again.
import { useBlocker } from '@tanstack/react-router';

/** `question` is shown when a link is followed. Browsers show a text of their own when the page is closed. */
export function useLeaveWarning(isActive: boolean, question: string): void {
  useBlocker({
    shouldBlockFn: () => isActive && !window.confirm(question),
    enableBeforeUnload: isActive,
    disabled: !isActive,
  });
}
