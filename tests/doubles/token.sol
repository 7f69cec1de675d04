// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface Wallet1271 {
    function isValidSignature(bytes32 hash, bytes memory signature) external view returns (bytes4);
}

/// A dollar token with EIP-3009 transfers, for tests: anyone may mint.
contract Token {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(bytes32 => bool)) public authorizationState;

    bytes32 constant TRANSFER = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 constant CANCEL = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    function name() public pure returns (string memory) { return "USD Coin"; }
    function version() public pure returns (string memory) { return "2"; }
    function decimals() external pure returns (uint8) { return 6; }

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore,
        bytes32 nonce, uint8 v, bytes32 r, bytes32 s
    ) external {
        use(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore,
        bytes32 nonce, bytes memory signature
    ) external {
        use(from, to, value, validAfter, validBefore, nonce, signature);
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        require(!authorizationState[authorizer][nonce], "FiatTokenV2: authorization is used or canceled");
        bytes32 hash = digest(keccak256(abi.encode(CANCEL, authorizer, nonce)));
        require(signed(authorizer, hash, abi.encodePacked(r, s, v)), "FiatTokenV2: invalid signature");
        authorizationState[authorizer][nonce] = true;
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function use(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore,
        bytes32 nonce, bytes memory signature
    ) internal {
        require(block.timestamp > validAfter, "FiatTokenV2: authorization is not yet valid");
        require(block.timestamp < validBefore, "FiatTokenV2: authorization is expired");
        require(!authorizationState[from][nonce], "FiatTokenV2: authorization is used or canceled");
        bytes32 hash = digest(keccak256(abi.encode(TRANSFER, from, to, value, validAfter, validBefore, nonce)));
        require(signed(from, hash, signature), "FiatTokenV2: invalid signature");
        authorizationState[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
        move(from, to, value);
    }

    function move(address from, address to, uint256 value) internal {
        require(balanceOf[from] >= value, "ERC20: transfer amount exceeds balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }

    function digest(bytes32 message) internal view returns (bytes32) {
        bytes32 separator = keccak256(abi.encode(
            keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
            keccak256(bytes(name())), keccak256(bytes(version())), block.chainid, address(this)
        ));
        return keccak256(abi.encodePacked("\x19\x01", separator, message));
    }

    function signed(address signer, bytes32 hash, bytes memory signature) internal view returns (bool) {
        if (signer.code.length > 0) {
            try Wallet1271(signer).isValidSignature(hash, signature) returns (bytes4 magic) {
                return magic == Wallet1271.isValidSignature.selector;
            } catch { return false; }
        }
        if (signature.length != 65) return false;
        bytes32 r; bytes32 s; uint8 v;
        assembly {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
        if (uint256(s) > 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0) return false;
        if (v != 27 && v != 28) return false;
        return ecrecover(hash, v, r, s) == signer && signer != address(0);
    }
}

/// A contract wallet whose owner's signature comes in front of some bytes of its own.
contract Purse {
    address public owner;

    function own(address first) external {
        require(owner == address(0), "owned");
        owner = first;
    }

    function isValidSignature(bytes32 hash, bytes memory signature) external view returns (bytes4) {
        bytes32 r; bytes32 s; uint8 v;
        assembly {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
        return ecrecover(hash, v, r, s) == owner ? this.isValidSignature.selector : bytes4(0);
    }
}

/// Makes purses at addresses that are known before they are made.
contract Factory {
    function make(address owner) external {
        new Purse{salt: bytes32(uint256(uint160(owner)))}().own(owner);
    }

    function at(address owner) external view returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(
            bytes1(0xff), address(this), uint256(uint160(owner)), keccak256(type(Purse).creationCode)
        )))));
    }
}

/// What the official facilitator tries transfers with, at its usual address.
contract Multicall3 {
    struct Call { address target; bytes callData; }
    struct Result { bool success; bytes returnData; }

    function tryAggregate(bool, Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (results[i].success, results[i].returnData) = calls[i].target.call(calls[i].callData);
        }
    }
}

/// Uses two authorizations of one payer in one transaction.
contract Batch {
    function both(address token, bytes calldata first, bytes calldata second) external {
        (bool a, ) = token.call(first);
        (bool b, ) = token.call(second);
        require(a && b, "a call failed");
    }
}
