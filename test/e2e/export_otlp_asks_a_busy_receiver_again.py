"""--otlp sends gzip-packed protobuf with the user's headers, asks a busy receiver again, and tells refusals."""
import gzip

from support.exported_spans import inference_trace
from support.otlp_receiver import OtlpReceiver
from support.xsp_e2e import XSP_REPORT, check, check_equal, clean_environment, run, work_folder

PARTIAL = b"\x0a\x09\x08\x02\x12\x05no\x1b[2"  # two rejected, and a message that would move a cursor

work_folder()
trace = inference_trace()
receiver = OtlpReceiver()


def send(answers, *options, address=receiver.url, **environment):
    receiver.expect(answers)
    done = run(XSP_REPORT, trace, "--otlp", address, *options, env=clean_environment(**environment))
    return done, receiver.requests, done.stderr.decode()


done, requests, said = send([], OTEL_EXPORTER_OTLP_HEADERS="x-team=a%2Cb, authorization=Bearer%20t")
check_equal((done.returncode, done.stdout, len(requests)), (0, b"", 1), f"a send; it said {said}")
_, path, headers, body = requests[0]
check_equal(path, "/v1/traces", "path")
check_equal((headers["x-team"], headers["authorization"]), ("a,b", "Bearer t"), "headers of the user")
check_equal(headers["Content-Type"], "application/x-protobuf", "content type")
check_equal(headers["Content-Encoding"], "gzip", "content encoding")
done = run(XSP_REPORT, trace, "--export", "otlp=a.otlp")
check(gzip.decompress(body) == open("a.otlp", "rb").read(), "what is sent is not what is exported")

done, requests, said = send([(503, {"Retry-After": "1"}, b""), (429, {}, b""), (None, {}, b""), (200, {}, b"")])
check_equal(done.returncode, 0, f"a busy receiver: {said}")
check_equal(len(requests), 4, "requests")
check(requests[1][0] - requests[0][0] >= 1, "Retry-After is not waited for")
check(len({body for *_, body in requests}) == 1, "the same spans are not sent again")

done, requests, said = send([(200, {"Content-Type": "application/x-protobuf"}, PARTIAL)])
check(done.returncode == 0 and "rejected 2 of the spans" in said, f"partial success is not told: {said}")
check("\x1b[2" not in said, "a message of the receiver reaches the terminal as it is")

done, requests, said = send([(400, {}, b"bad span")])
check(done.returncode == 5 and len(requests) == 1 and "400: bad span" in said, f"a refusal is not told: {said}")
check("hint: the receiver's log may say more" in said and "-o FILE" not in said, f"the hint is about a file: {said}")
done, requests, said = send([(503, {"Retry-After": "100000"}, b"")])
check(done.returncode == 5 and len(requests) == 1, f"waits for a day: {said}")
done, requests, said = send([], OTEL_EXPORTER_OTLP_HEADERS="x=a%0d%0aEvil: 1")
check(done.returncode == 5 and not requests and "Evil" not in said, f"a header with a line break is sent: {said}")
done, requests, said = send([], address="https://127.0.0.1")
check(done.returncode == 2 and "TLS" in said and "hint:" in said, f"https: {said}")

receiver.stop()
done, requests, said = send([])
check(done.returncode == 5 and "Connection refused" in said, f"nobody listens: {said}")

done, requests, said = send([], "--otlp-level", "nonsense")
check_equal(done.returncode, 2, "an unknown level")
