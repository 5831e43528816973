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

describe("the room for requests", () => {
  it("given nothing answered yet, when a burst comes, then 256 are let in and no more", () => {
    const room = roomAt();
    room.enterMany(255);
    expect(room.isFull()).toBe(false);
    room.enter();
    expect(room.isFull()).toBe(true);
    room.leave();
    expect(room.isFull()).toBe(false);
  });

  it("given 4,000 answered in the last second, then 400 may be at work, which a tenth of it does", () => {
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

  it("given a service that comes to a halt, when a second has passed, then what it did before counts no more", () => {
    const room = roomAt();
    room.enterMany(4_300);
    room.leaveMany(4_000);
    expect(room.isFull()).toBe(false);
    room.pass(1_100);
    expect(room.isFull()).toBe(true);
    room.leaveMany(50);
    expect(room.isFull()).toBe(false);
  });

  it("given any comings and goings, then it is never full with fewer than 256 inside, and always with more than were answered in a second", () => {
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
