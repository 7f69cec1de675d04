/** What payments say of themselves while all is well, for tests of who tells it. */
export const PAYMENT_STATUS = {
  mode: "test",
  network: "n",
  rail: "test:n",
  payTo: "0x0",
  ready: true,
  inFlight: 0,
  ledgerIsAvailable: true,
  isSelling: true,
  notOnChain: 0,
} as const;
