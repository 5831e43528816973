import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type Parsed, parseQuery } from "../../service/tests.ts";

/** A text is parsed once typing has paused for this time, in milliseconds. */
const PAUSE_MS = 200;

const nothing: Parsed = { steps: [], warnings: [], proposals: [] };

/** The steps of a text as it is typed. `isCurrent` is false until they are those of the latest text. */
export const useParsed = (text: string) => {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, error, isPlaceholderData } = useQuery(parseQuery(settled));
  const isEmpty = text.trim() === "";
  return {
    parsed: isEmpty || !data ? nothing : data,
    error,
    isCurrent: isEmpty || (settled === text && data !== undefined && !isPlaceholderData),
  };
};
