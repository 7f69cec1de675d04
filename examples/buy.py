"""Buys one answer with the official x402 client for Python: GET, or POST where a JSON body is given.

    pip install "x402[requests,evm]"
    python examples/buy.py http://127.0.0.1:8402/v1/opportunities/trending
    python examples/buy.py http://127.0.0.1:8402/v1/gauge '{"query": "a kettle without plastic"}'

In payment mode test any random key pays and none is needed. To pay for real, put the key of a wallet that
holds USDC on the service's network into EVM_PRIVATE_KEY (start on Base Sepolia).
"""

import json
import os
import secrets
import sys

from eth_account import Account
from x402 import x402ClientSync
from x402.http.clients import x402_requests
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact.register import register_exact_evm_client


def main() -> int:
    url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8402/v1/opportunities/trending"
    key = os.environ.get("EVM_PRIVATE_KEY") or "0x" + secrets.token_hex(32)
    client = x402ClientSync()
    register_exact_evm_client(client, EthAccountSigner(Account.from_key(key)))
    with x402_requests(client) as session:
        if len(sys.argv) > 2:
            answer = session.post(url, json=json.loads(sys.argv[2]))
        else:
            answer = session.get(url)
        print(answer.status_code, json.dumps(answer.json(), indent=2))
        return 0 if answer.ok else 1


if __name__ == "__main__":
    sys.exit(main())
