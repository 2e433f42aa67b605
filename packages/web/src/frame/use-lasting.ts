// Whether a condition has held for some time, for what is shown only if something takes long.
import { useEffect, useState } from 'react';

export function useLasting(isTrue: boolean, ms: number): boolean {
  const [hasLasted, setHasLasted] = useState(false);
  useEffect(() => {
    if (!isTrue) return setHasLasted(false);
    const timer = setTimeout(() => setHasLasted(true), ms);
    return () => clearTimeout(timer);
  }, [isTrue, ms]);
  return isTrue && hasLasted;
}
