import { expect } from "vitest";
import { type Decider, fold } from "../../src/domain/kernel/decider.ts";
import { DomainError } from "../../src/domain/kernel/errors.ts";
import type { DomainEvent } from "../../src/domain/kernel/events.ts";

type Outcome<Event> = {
  /** Expects exactly these events, also after encoding them as JSON and decoding them by the codec. */
  then(expected: readonly Event[]): void;
  /** Expects no event, because nothing changes. */
  thenNothing(): void;
  /** Expects a refusal with this code. */
  thenRefused(code: string): DomainError;
};

/** Tests a decider: `scenario(runDecider).given([queued]).when(start).then([started])`. */
export const scenario = <State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
) => ({
  given: (history: readonly Event[]) => ({
    when: (command: Command): Outcome<Event> => {
      const decide = () => decider.decide(command, fold(decider, history));
      return {
        // biome-ignore lint/suspicious/noThenProperty: given, when, then; it is never awaited.
        then: (expected) => {
          const events = decide();
          expect(events).toEqual(expected);
          for (const event of events) {
            const stored = JSON.parse(JSON.stringify(event.data));
            const { schemaVersion } = decider.codec;
            expect(decider.codec.decode({ type: event.type, data: stored, schemaVersion })).toEqual(
              event,
            );
          }
        },
        thenNothing: () => {
          expect(decide()).toEqual([]);
        },
        thenRefused: (code) => {
          let refusal: unknown;
          try {
            decide();
          } catch (error) {
            refusal = error;
          }
          expect(refusal).toBeInstanceOf(DomainError);
          expect((refusal as DomainError).code).toBe(code);
          return refusal as DomainError;
        },
      };
    },
  }),
});
