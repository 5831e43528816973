import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createConcurrencyLimit } from "../../../../src/api/edge/loadShedding.ts";

const roomAt = () => {
  let ms = 1_000;
  const room = createConcurrencyLimit(() => ms);
  const times = (count: number, act: () => void) => {
    for (let n = 0; n < count; n += 1) act();
  };
  return {
    ...room,
    pass: (more: number) => {
      ms += more;
    },
    enterMany: (count: number) => times(count, room.enter),
    leaveMany: (count: number) => times(count, room.leave),
  };
};

describe("load shedding", () => {
  it("admits 256 requests of a burst before any response", () => {
    const room = roomAt();
    room.enterMany(255);
    expect(room.isFull()).toBe(false);
    room.enter();
    expect(room.isFull()).toBe(true);
    room.leave();
    expect(room.isFull()).toBe(false);
  });

  it("admits a tenth of the responses of the last second", () => {
    const room = roomAt();
    for (let tenth = 0; tenth < 10; tenth += 1) {
      room.enterMany(400);
      room.leaveMany(400);
      room.pass(tenth < 9 ? 100 : 0);
    }
    room.enterMany(399);
    expect(room.isFull()).toBe(false);
    room.enter();
    expect(room.isFull()).toBe(true);
  });

  it("forgets the throughput of earlier seconds after a stall", () => {
    const room = roomAt();
    room.enterMany(4_300);
    room.leaveMany(4_000);
    expect(room.isFull()).toBe(false);
    room.pass(1_100);
    expect(room.isFull()).toBe(true);
    room.leaveMany(50);
    expect(room.isFull()).toBe(false);
  });

  it("always admits 256 requests and never more than the greater of 256 and the last second's throughput", () => {
    const step = fc.oneof(
      fc.record({ enter: fc.integer({ min: 1, max: 400 }) }),
      fc.record({ leave: fc.integer({ min: 1, max: 400 }) }),
      fc.record({ pass: fc.integer({ min: 1, max: 700 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const room = roomAt();
        let ms = 0;
        let inside = 0;
        const left: number[] = [];
        for (const one of steps) {
          if ("pass" in one) {
            ms += one.pass;
            room.pass(one.pass);
          } else if ("enter" in one) {
            inside += one.enter;
            room.enterMany(one.enter);
          } else {
            const leaving = Math.min(inside, one.leave);
            inside -= leaving;
            left.push(...Array<number>(leaving).fill(ms));
            room.leaveMany(leaving);
          }
          const lately = left.filter((at) => at > ms - 1_000).length;
          if (inside < 256) expect(room.isFull()).toBe(false);
          if (inside >= 256 && inside > lately) expect(room.isFull()).toBe(true);
        }
      }),
    );
  });
});
