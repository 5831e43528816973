import { useEffect, useRef } from "react";

type Keys = Readonly<Record<string, () => unknown>>;

/** Keys, by their names in small letters, act on the screen unless a field or a dialog has the focus, or a modifier is held. */
export const useKeys = (keys: Keys): void => {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const act = current.current[event.key.toLowerCase()];
      if (!act || event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
};

const isTaken = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest("input, textarea, select, [role=dialog], [role=alertdialog], [role=menu]") !==
    null;
