/** Randomness that can be repeated. */
export class Chance {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  /** From 0 to 1. */
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  happens(share) {
    return this.next() < share;
  }

  below(most) {
    return Math.floor(this.next() * most);
  }

  of(things) {
    return things[this.below(things.length)];
  }
}
